// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A registered child. `shareBps` of the parent's day is what the child may spend in any 24 hours.
struct Child {
    address cage;
    uint256 shareBps;
}

/// @title What a cage is to its parent and to its children
/// @notice Golems spawn golems: a cage may stand below another, once and for good, and what it spends is charged to that one's day too.
/// Every cage answers these functions.
///
/// Adopting and releasing take no delay: what a family spends together is bounded by the parent's day, whatever its children may.
interface ICageFamily {
    /// @notice `cage` cannot be the child: not made by the parent's factory.
    error ChildRefused(address cage);
    /// @notice `cage` cannot be the parent: not made by the child's factory, owned by another, or not the one the child has; or this
    /// cage has, or had, children or sessions of its own.
    error ParentRefused(address cage);
    /// @notice `caller` is no child of this cage: never adopted, or released.
    error NotChild(address caller);
    /// @notice A child runs under the constitution of its parent only. `expected` is the parent's, `actual` the child's.
    error ConstitutionMismatch(bytes32 expected, bytes32 actual);

    /// @notice `child` may spend `shareBps` of this cage's day.
    event ChildAdopted(address indexed child, uint256 shareBps);
    /// @notice `child` no longer runs. What it was charged stays charged.
    event ChildReleased(address indexed child);
    /// @notice This cage stands below `parent` from now on.
    event ParentSet(address indexed parent);

    // ── Owner ──

    /// @notice Makes `child` a child of this cage, or gives a child another share. It was made by the factory that made this cage, has the
    /// same owner and the same constitution, and never had a session or children. At most 8; none below a grandchild.
    /// @param shareBps 1 to 10 000.
    function adopt(address child, uint256 shareBps) external;

    /// @notice Takes `child` out. It keeps its parent, so that it never runs again unless this cage adopts it again.
    function release(address child) external;

    // ── What cages of a family say to each other ──

    /// @notice Makes the caller the parent of this cage.
    function join() external;

    /// @notice A child asks to open an execution: this cage and those above it are locked until it ends.
    /// @param hash The child's constitution.
    function enter(bytes32 hash) external;

    /// @notice The child that entered has spent `spent`, in micro-USDC. Charges it here and above, and opens the lock. A stored trip of
    /// the breaker refuses all but a repayment.
    /// @param before What the child had spent in the last 24 hours before that.
    function exit(uint256 spent, uint256 before, bool isRepayment) external;

    // ── Views ──

    /// @notice The cage above this one; zero when there is none.
    function parent() external view returns (address);

    /// @notice The children that may run.
    function children() external view returns (Child[] memory);

    /// @notice What `child` may spend now, having spent `before` in the last 24 hours, as far as this cage and those above it have a say.
    /// @param hash The child's constitution.
    function roomOf(address child, uint256 before, bytes32 hash) external view returns (uint256);
}
