// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PolicyCageConfig, Trade} from "../../../contracts/interfaces/Types.sol";
import {MockExchange} from "../../../contracts/mocks/MockExchange.sol";
import {LendingFixture} from "../support/LendingFixture.sol";
import {LendingPool} from "../support/LendingPool.sol";

/// @notice Cash that comes in as a loan pays for a theft in the same execution: NAV, which knows no debt, stays what it was, and nothing
/// counts as spent. So no call opens debt, whatever the configuration.
contract DebtTest is LendingFixture {
    bytes4 private constant DEBT_CALL_REFUSED = bytes4(keccak256("DebtCallRefused(address,bytes4)"));
    uint256 private constant SUPPLIED = 500_000e6;
    uint256 private constant BORROWED = 399_000e6;

    function test_ABorrowIsNotListed() public {
        _assertNotListed(LendingPool.borrow.selector);
    }

    function test_AFlashLoanThatMayStayAsDebtIsNotListed() public {
        _assertNotListed(LendingPool.flashLoan.selector);
    }

    function test_NoCallOfTheListIsListed() public {
        string[] memory signatures = _signatures();
        for (uint256 i; i < signatures.length; ++i) _assertNotListed(bytes4(keccak256(bytes(signatures[i]))));
    }

    function test_NoCallOfTheListPassesWithArbitraryCalldata() public {
        _restartWithArbitraryCalldata();
        string[] memory signatures = _signatures();
        for (uint256 i; i < signatures.length; ++i) {
            bytes4 selector = bytes4(keccak256(bytes(signatures[i])));
            _assertRefused(selector, callTrade(address(pool), 0, abi.encodePacked(selector)));
        }
    }

    /// Morpho, Compound 3, Compound 2 and Aave's packed pool have selectors of their own, FraxLend, Exactly and Venus have words of their
    /// own, and some hide the call in a list of calls of their own.
    function test_TheListHasWhatEverybodyKnows() public view {
        string[16] memory known = [
            "borrow((address,address,address,address,uint256),uint256,uint256,address,address)",
            "borrow(uint256)",
            "borrow(bytes32)",
            "borrow(uint256,address)",
            "borrowETH(address,uint256,uint256,uint16)",
            "borrowAsset(uint256,uint256,address)",
            "borrowAtMaturity(uint256,uint256,uint256,address,address)",
            "borrowBehalf(address,uint256)",
            "leveragedPosition(address,uint256,uint256,uint256,address[])",
            "cook(uint8[],uint256[],bytes[])",
            "batch((address,address,uint256,bytes)[])",
            "batch(bytes[],bool)",
            "multicall((bool,bytes)[])",
            "callAndReflect(address,bytes,bytes,bytes)",
            "aggregate3((address,bool,bytes)[])",
            "flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)"
        ];
        string[] memory signatures = _signatures();
        for (uint256 i; i < known.length; ++i) {
            bool isThere;
            for (uint256 j; j < signatures.length; ++j) {
                isThere = isThere || keccak256(bytes(known[i])) == keccak256(bytes(signatures[j]));
            }
            assertTrue(isThere, known[i]);
        }
    }

    function test_ABorrowIsRefusedWithArbitraryCalldata() public {
        _restartWithArbitraryCalldata();
        Trade[] memory theft = join(
            callTrade(address(pool), 0, borrowCall(BORROWED)),
            swapTrade(address(usdc), BORROWED, address(usdc), 0)
        );
        theft[1].data = abi.encodeCall(MockExchange.swap, (address(usdc), BORROWED, address(usdc), BORROWED, attacker));

        _assertRefused(LendingPool.borrow.selector, theft);
    }

    function test_AFlashLoanIntoDebtIsRefusedWithArbitraryCalldata() public {
        _restartWithArbitraryCalldata();

        _assertRefused(LendingPool.flashLoan.selector, callTrade(address(pool), 0, flashLoanCall(BORROWED)));
    }

    function test_ABorrowInsideAMulticallIsRefused() public {
        _restartWithArbitraryCalldata();
        bytes[] memory calls = new bytes[](1);
        calls[0] = borrowCall(BORROWED);

        _assertRefused(
            LendingPool.borrow.selector,
            callTrade(address(pool), 0, abi.encodeWithSelector(bytes4(0xac9650d8), calls))
        );
    }

    function test_RepayingIsNeverRefused() public {
        PolicyCageConfig memory config = lendingConfig();
        addStrategy(config, address(pool), LendingPool.repay.selector);
        restart(config);

        execute(
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.repay, (address(usdc), 0, 2, address(account))))
        );

        assertEq(cage.rebalancesToday(), 1);
    }

    function _signatures() private view returns (string[] memory signatures) {
        signatures = vm.parseJsonStringArray(vm.readFile("contracts/debt-selectors.json"), "$");
        assertGt(signatures.length, 0);
    }

    function _assertNotListed(bytes4 selector) private {
        PolicyCageConfig memory config = lendingConfig();
        addStrategy(config, address(pool), selector);

        vm.expectRevert(refusal(DEBT_CALL_REFUSED, address(pool), selector));
        this.deploy(config);
    }

    function deploy(PolicyCageConfig memory config) external {
        deployCage(config);
    }

    function _restartWithArbitraryCalldata() private {
        PolicyCageConfig memory config = lendingConfig();
        config.allowArbitraryCalldata = true;
        restart(config);
        supply(SUPPLIED);
    }

    function _assertRefused(bytes4 selector, Trade[] memory trades) private {
        refuse(refusal(DEBT_CALL_REFUSED, address(pool), selector), trades);
        assertEq(usdc.balanceOf(attacker), 0);
        assertEq(pool.debt(address(account)), 0);
    }
}
