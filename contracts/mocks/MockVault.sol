// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice A plain vault: it manages what it holds.
contract MockVault is ERC4626 {
    constructor(IERC20 asset_) ERC20("VAULT", "VAULT") ERC4626(asset_) {}
}
