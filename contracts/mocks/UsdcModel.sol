// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice A token with the storage accesses of FiatTokenV2_2, behind `UsdcProxyModel`: a pause flag read by every transfer and
/// approval, and a blacklist bit in the word of each balance.
contract UsdcModel is IERC20 {
    uint8 public constant decimals = 6;

    uint256 private constant BLACKLISTED = 1 << 255;

    address public pauser;
    bool public isPaused;
    mapping(address holder => uint256) private _balanceAndBlacklist;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    uint256 public totalSupply;

    modifier whenNotPaused() {
        require(!isPaused, "Pausable: paused");
        _;
    }

    modifier notBlacklisted(address holder) {
        require(_balanceAndBlacklist[holder] & BLACKLISTED == 0, "Blacklistable: account is blacklisted");
        _;
    }

    function mint(address to, uint256 amount) external whenNotPaused notBlacklisted(to) {
        totalSupply += amount;
        _setBalance(to, balanceOf(to) + amount);
        emit Transfer(address(0), to, amount);
    }

    function approve(
        address spender,
        uint256 amount
    ) external whenNotPaused notBlacklisted(msg.sender) notBlacklisted(spender) returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(
        address to,
        uint256 amount
    ) external whenNotPaused notBlacklisted(msg.sender) notBlacklisted(to) returns (bool) {
        _transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(
        address from,
        address to,
        uint256 amount
    ) external whenNotPaused notBlacklisted(msg.sender) notBlacklisted(from) notBlacklisted(to) returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(amount <= allowed, "ERC20: transfer amount exceeds allowance");
        _transfer(from, to, amount);
        allowance[from][msg.sender] = allowed - amount;
        return true;
    }

    function balanceOf(address holder) public view returns (uint256) {
        return _balanceAndBlacklist[holder] & ~BLACKLISTED;
    }

    function _transfer(address from, address to, uint256 amount) private {
        require(from != address(0) && to != address(0), "ERC20: zero address");
        require(amount <= balanceOf(from), "ERC20: transfer amount exceeds balance");
        _setBalance(from, balanceOf(from) - amount);
        _setBalance(to, balanceOf(to) + amount);
        emit Transfer(from, to, amount);
    }

    function _setBalance(address holder, uint256 balance) private notBlacklisted(holder) {
        require(balance < BLACKLISTED, "FiatTokenV2_2: Balance exceeds (2^255 - 1)");
        _balanceAndBlacklist[holder] = balance;
    }
}

/// @notice The proxy in front of USDC: every call reads the administrator, whom it refuses, and the implementation.
contract UsdcProxyModel {
    bytes32 private constant ADMINISTRATOR = keccak256("org.zeppelinos.proxy.admin");
    bytes32 private constant IMPLEMENTATION = keccak256("org.zeppelinos.proxy.implementation");

    constructor(address implementation) {
        _store(ADMINISTRATOR, msg.sender);
        _store(IMPLEMENTATION, implementation);
    }

    fallback() external payable {
        require(msg.sender != _load(ADMINISTRATOR), "Cannot call fallback function from the proxy admin");
        address implementation = _load(IMPLEMENTATION);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }

    function _load(bytes32 slot) private view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }

    function _store(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }
}
