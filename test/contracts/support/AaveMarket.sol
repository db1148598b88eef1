// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Vm} from "forge-std/Vm.sol";
import {MockAggregatorProxy, MockAnswerReader} from "../../../contracts/mocks/MockAggregator.sol";

/// @dev Aave V3's pool, as it is called.
interface IMarketPool {
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
    function withdraw(address asset, uint256 amount, address to) external returns (uint256);
    function borrow(address asset, uint256 amount, uint256 mode, uint16 referralCode, address onBehalfOf) external;
    function repay(address asset, uint256 amount, uint256 mode, address onBehalfOf) external returns (uint256);
    function getUserAccountData(
        address user
    )
        external
        view
        returns (
            uint256 collateral,
            uint256 debt,
            uint256 available,
            uint256 threshold,
            uint256 ltv,
            uint256 healthFactor
        );
}

interface IMarketProvider {
    function setACLAdmin(address admin) external;
    function setACLManager(address manager) external;
    function setPriceOracle(address oracle) external;
    function setPoolImpl(address pool) external;
    function setPoolConfiguratorImpl(address configurator) external;
    function setPoolDataProvider(address dataProvider) external;
    function getPool() external view returns (address);
    function getPoolConfigurator() external view returns (address);
}

interface IMarketConfigurator {
    struct Reserve {
        address aTokenImpl;
        address stableDebtTokenImpl;
        address variableDebtTokenImpl;
        uint8 underlyingAssetDecimals;
        address interestRateStrategyAddress;
        address underlyingAsset;
        address treasury;
        address incentivesController;
        string aTokenName;
        string aTokenSymbol;
        string variableDebtTokenName;
        string variableDebtTokenSymbol;
        string stableDebtTokenName;
        string stableDebtTokenSymbol;
        bytes params;
    }

    function addPoolAdmin(address admin) external;
    function initReserves(Reserve[] calldata reserves) external;
    function configureReserveAsCollateral(address asset, uint256 ltv, uint256 threshold, uint256 bonus) external;
    function setReserveBorrowing(address asset, bool isEnabled) external;
}

interface IMarketData {
    function getReserveTokensAddresses(
        address asset
    ) external view returns (address receipt, address stableDebt, address variableDebt);
}

/// @notice The contracts of Aave V3 as they are published, linked.
library AaveArtifacts {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bytes16 private constant DIGITS = "0123456789abcdef";
    /// Of the hash in "__$hash$__", which stands where an address belongs.
    uint256 private constant HASH_DIGITS = 34;

    /// @dev `hash`: the first 17 bytes of that of file and name.
    struct Library {
        bytes17 hash;
        address place;
    }

    function libraryOf(string memory name, address place) internal pure returns (Library memory) {
        string memory file = string.concat("contracts/protocol/libraries/logic/", name, ".sol:", name);
        return Library(bytes17(keccak256(bytes(file))), place);
    }

    /// @param path Below the folder of the artifacts: "protocol/pool/Pool".
    function deploy(
        string memory path,
        bytes memory arguments,
        Library[] memory libraries
    ) internal returns (address created) {
        bytes memory code = bytes.concat(vm.parseBytes(link(bytecodeOf(path), libraries)), arguments);
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
        }
        require(created != address(0), string.concat("not deployed: ", path));
    }

    function bytecodeOf(string memory path) private view returns (bytes memory) {
        string memory name = path;
        for (uint256 i = bytes(path).length; i > 0; --i) {
            if (bytes(path)[i - 1] != "/") continue;
            name = slice(path, i);
            break;
        }
        string memory file = string.concat(
            "node_modules/@aave/core-v3/artifacts/contracts/",
            path,
            ".sol/",
            name,
            ".json"
        );
        return bytes(vm.parseJsonString(vm.readFile(file), ".bytecode"));
    }

    function slice(string memory text, uint256 from) private pure returns (string memory) {
        bytes memory part = new bytes(bytes(text).length - from);
        for (uint256 i; i < part.length; ++i) part[i] = bytes(text)[from + i];
        return string(part);
    }

    /// Puts each library's address where its hash stands.
    function link(bytes memory code, Library[] memory libraries) private pure returns (string memory) {
        for (uint256 i; i < code.length; ++i) {
            if (code[i] != "_") continue;
            address place = placeOf(code, i + 3, libraries);
            for (uint256 j; j < 40; ++j) code[i + j] = DIGITS[uint8(uint160(place) >> (4 * (39 - j))) & 15];
            i += 39;
        }
        return string(code);
    }

    function placeOf(bytes memory code, uint256 from, Library[] memory libraries) private pure returns (address) {
        for (uint256 i; i < libraries.length; ++i) {
            bytes17 hash = libraries[i].hash;
            bool isSame = true;
            for (uint256 j; j < HASH_DIGITS && isSame; ++j) {
                uint8 digit = uint8(hash[j / 2]);
                isSame = code[from + j] == DIGITS[j % 2 == 0 ? digit >> 4 : digit & 15];
            }
            if (isSame) return libraries[i].place;
        }
        revert("an unknown library");
    }
}

/// @notice Aave V3 with one market, which takes assets as collateral at a threshold of 80 % and lends them at up to 10 % a year.
contract AaveMarket {
    uint256 private constant RAY = 1e27;

    IMarketPool public immutable pool;
    IMarketData private immutable _data;

    /// @param feeds Of each asset, as Chainlink's aggregators answer.
    constructor(address[] memory assets, uint8[] memory decimals, address[] memory feeds) {
        AaveArtifacts.Library[] memory none;
        AaveArtifacts.Library[] memory libraries = deployLibraries();
        IMarketProvider provider = IMarketProvider(
            AaveArtifacts.deploy(
                "protocol/configuration/PoolAddressesProvider",
                abi.encode("local", address(this)),
                none
            )
        );
        provider.setACLAdmin(address(this));
        address manager = AaveArtifacts.deploy("protocol/configuration/ACLManager", abi.encode(provider), none);
        provider.setACLManager(manager);
        IMarketConfigurator(manager).addPoolAdmin(address(this));
        provider.setPriceOracle(deployOracle(address(provider), assets, feeds));
        provider.setPoolImpl(AaveArtifacts.deploy("protocol/pool/Pool", abi.encode(provider), libraries));
        provider.setPoolConfiguratorImpl(AaveArtifacts.deploy("protocol/pool/PoolConfigurator", "", libraries));
        _data = IMarketData(AaveArtifacts.deploy("misc/AaveProtocolDataProvider", abi.encode(provider), none));
        provider.setPoolDataProvider(address(_data));
        pool = IMarketPool(provider.getPool());
        open(provider, assets, decimals);
    }

    function receiptOf(address asset) external view returns (IERC20) {
        (address receipt, , ) = _data.getReserveTokensAddresses(asset);
        return IERC20(receipt);
    }

    function debtOf(address asset) external view returns (IERC20) {
        (, , address debt) = _data.getReserveTokensAddresses(asset);
        return IERC20(debt);
    }

    function deployLibraries() private returns (AaveArtifacts.Library[] memory libraries) {
        string[6] memory names = [
            "SupplyLogic",
            "BorrowLogic",
            "LiquidationLogic",
            "EModeLogic",
            "BridgeLogic",
            "PoolLogic"
        ];
        AaveArtifacts.Library[] memory none;
        libraries = new AaveArtifacts.Library[](8);
        for (uint256 i; i < 6; ++i) libraries[i] = deployLibrary(names[i], none);
        libraries[6] = deployLibrary("FlashLoanLogic", libraries);
        libraries[7] = deployLibrary("ConfiguratorLogic", none);
    }

    function deployLibrary(
        string memory name,
        AaveArtifacts.Library[] memory libraries
    ) private returns (AaveArtifacts.Library memory) {
        address place = AaveArtifacts.deploy(string.concat("protocol/libraries/logic/", name), "", libraries);
        return AaveArtifacts.libraryOf(name, place);
    }

    function deployOracle(address provider, address[] memory assets, address[] memory feeds) private returns (address) {
        address[] memory sources = new address[](feeds.length);
        for (uint256 i; i < feeds.length; ++i) {
            sources[i] = address(new MockAnswerReader(MockAggregatorProxy(feeds[i])));
        }
        AaveArtifacts.Library[] memory none;
        bytes memory arguments = abi.encode(provider, assets, sources, address(0), address(0), 1e8);
        return AaveArtifacts.deploy("misc/AaveOracle", arguments, none);
    }

    function open(IMarketProvider provider, address[] memory assets, uint8[] memory decimals) private {
        IMarketConfigurator configurator = IMarketConfigurator(provider.getPoolConfigurator());
        AaveArtifacts.Library[] memory none;
        IMarketConfigurator.Reserve memory reserve;
        bytes memory arguments = abi.encode(pool);
        reserve.aTokenImpl = AaveArtifacts.deploy("protocol/tokenization/AToken", arguments, none);
        reserve.stableDebtTokenImpl = AaveArtifacts.deploy("protocol/tokenization/StableDebtToken", arguments, none);
        reserve.variableDebtTokenImpl = AaveArtifacts.deploy(
            "protocol/tokenization/VariableDebtToken",
            arguments,
            none
        );
        uint256 low = (RAY * 9) / 10;
        reserve.interestRateStrategyAddress = AaveArtifacts.deploy(
            "protocol/pool/DefaultReserveInterestRateStrategy",
            abi.encode(provider, low, 0, RAY / 10, 0, 0, 0, 0, 0, RAY / 5),
            none
        );
        (reserve.treasury, reserve.params) = (address(this), hex"10");
        for (uint256 i; i < assets.length; ++i) {
            (reserve.underlyingAsset, reserve.underlyingAssetDecimals) = (assets[i], decimals[i]);
            IMarketConfigurator.Reserve[] memory reserves = new IMarketConfigurator.Reserve[](1);
            reserves[0] = reserve;
            configurator.initReserves(reserves);
            configurator.configureReserveAsCollateral(assets[i], 7_500, 8_000, 10_500);
            configurator.setReserveBorrowing(assets[i], true);
        }
    }
}
