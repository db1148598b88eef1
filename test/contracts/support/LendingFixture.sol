// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Call, PolicyCageConfig, Trade} from "../../../contracts/interfaces/Types.sol";
import {GolemFixture} from "./GolemFixture.sol";
import {LendingPool} from "./LendingPool.sol";

/// @notice A lending pool among the approved protocols, its receipt token among the assets.
abstract contract LendingFixture is GolemFixture {
    LendingPool internal pool;

    /// The defaults' caps in a policy that is wide otherwise. A receipt is worth a dollar, and a dollar of it is dust.
    function lendingConfig() internal returns (PolicyCageConfig memory config) {
        config = wideConfig();
        config.perTransactionCapUsdc = 10_000e6;
        config.perSessionCapUsdc = 50_000e6;
        config.perDayCapUsdc = 100_000e6;
        pool = new LendingPool(usdc, 6);
        usdc.mint(address(pool), 1e14);
        addProtocol(config, address(pool));
        addAsset(config, address(pool.receipt()), feedOf(usdcFeed, 1e6, address(pool)));
    }

    /// The owner supplies what is in the account.
    function supply(uint256 amount) internal {
        Call[] memory calls = new Call[](2);
        calls[0] = Call(address(usdc), 0, abi.encodeCall(IERC20.approve, (address(pool), amount)));
        calls[1] = Call(
            address(pool),
            0,
            abi.encodeCall(LendingPool.supply, (address(usdc), amount, address(account), 0))
        );
        vm.prank(owner);
        desk.ownerExecute(calls);
    }

    function borrowCall(uint256 amount) internal view returns (bytes memory) {
        return abi.encodeCall(LendingPool.borrow, (address(usdc), amount, 2, 0, address(account)));
    }

    /// A flash loan that pays the attacker and stays as the account's debt.
    function flashLoanCall(uint256 amount) internal view returns (bytes memory) {
        address[] memory assets = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        uint256[] memory modes = new uint256[](1);
        assets[0] = address(usdc);
        amounts[0] = amount;
        modes[0] = 2;
        return abi.encodeCall(LendingPool.flashLoan, (attacker, assets, amounts, modes, address(account), "", 0));
    }

    /// Takes `amount` of what was supplied out of the pool, to `recipient`, without naming the receipt.
    function withdrawTrade(uint256 amount, address recipient) internal view returns (Trade[] memory) {
        return callTrade(address(pool), 0, abi.encodeCall(LendingPool.withdraw, (address(usdc), amount, recipient)));
    }
}
