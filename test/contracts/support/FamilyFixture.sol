// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IPolicyCageFactory} from "../../../contracts/interfaces/IPolicyCageFactory.sol";
import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {IGolemEntry} from "../../../contracts/interfaces/IGolemEntry.sol";
import {PolicyCageConfig, Roles, Trade} from "../../../contracts/interfaces/Types.sol";
import {ReenteringProtocol} from "../../../contracts/mocks/hostile/HostileProtocols.sol";
import {IWholeCage} from "./CageFixture.sol";
import {GolemFixture} from "./GolemFixture.sol";

/// @notice A parent, two children and a grandchild, all of one factory, one owner and one constitution. They become a family, funded, with a
/// mark and a session each, by `found`.
abstract contract FamilyFixture is GolemFixture {
    /// What a golem and an owner call of a member.
    struct Desk {
        IGolemEntry entry;
        ICagedAccount desk;
    }

    uint256 internal constant SHARE = 2_500;

    IPolicyCageFactory internal factory;
    ReenteringProtocol internal intruder;
    bytes internal code;
    IWholeCage internal parent;
    IWholeCage internal child;
    IWholeCage internal sibling;
    IWholeCage internal grandchild;
    mapping(address member => Desk) private _desks;
    /// What a cage is made with; no factory makes those of the fixtures below.
    bytes32 private _salt;
    bool private _isByFactory;

    function setUp() public virtual override {
        super.setUp();
        code = vm.getCode("PolicyCage.sol:PolicyCage");
        factory = IPolicyCageFactory(createFactory(keccak256(code)));
        intruder = new ReenteringProtocol();
        parent = make(owner, "parent");
        child = make(owner, "child");
        sibling = make(owner, "sibling");
        grandchild = make(owner, "grandchild");
    }

    /// The policy of the family; caps wide enough that the day's is the one that binds.
    function familyConfig() internal view virtual returns (PolicyCageConfig memory config) {
        config = defaultConfig();
        config.maxPositionBps = 10_000;
        config.maxConcentrationBps = 10_000;
        config.perTransactionCapUsdc = 100_000e6;
        config.perSessionCapUsdc = 1_000_000e6;
        addProtocol(config, address(intruder));
        addStrategy(config, address(intruder), ReenteringProtocol.run.selector);
    }

    function createFactory(bytes32 codeHash) private returns (address created) {
        bytes memory initCode = bytes.concat(
            vm.getCode("PolicyCageFactory.sol:PolicyCageFactory"),
            abi.encode(codeHash)
        );
        assembly {
            created := create(0, add(initCode, 0x20), mload(initCode))
        }
    }

    /// A cage of the factory that never ran.
    function make(address owner_, bytes32 salt) internal returns (IWholeCage made) {
        return make(owner_, salt, familyConfig());
    }

    function make(address owner_, bytes32 salt, PolicyCageConfig memory config) internal returns (IWholeCage made) {
        address former = owner;
        owner = owner_;
        _salt = salt;
        _isByFactory = true;
        deployCage(config);
        _isByFactory = false;
        owner = former;
        _desks[address(cage)] = Desk(entry, desk);
        return cage;
    }

    function createCage(
        PolicyCageConfig memory config,
        Roles memory roles
    ) internal virtual override returns (IWholeCage created) {
        if (!_isByFactory) return super.createCage(config, roles);
        (address made, ) = factory.createCage(code, config, roles, _salt);
        return IWholeCage(made);
    }

    /// What follows is about `member`.
    function use(IWholeCage member) internal {
        cage = member;
        account = ICagedAccount(member.account());
        entry = _desks[address(member)].entry;
        desk = _desks[address(member)].desk;
    }

    /// `member` gets funds, a mark, and a session of `golem`.
    function arm(IWholeCage member) internal {
        use(member);
        fund();
        raiseMark(nav());
        openSession(golem, 1_000_000e6);
    }

    function adopt(IWholeCage above, IWholeCage below, uint256 shareBps) internal {
        vm.prank(owner);
        above.adopt(address(below), shareBps);
    }

    /// Parent, child and sibling with half of the day each, and the grandchild with all of the child's.
    function found() internal {
        adopt(parent, child, 5_000);
        adopt(parent, sibling, 5_000);
        adopt(child, grandchild, 10_000);
        arm(parent);
        arm(child);
        arm(sibling);
        arm(grandchild);
    }

    function spend(IWholeCage member, uint256 amount) internal {
        use(member);
        execute(buyWeth(amount));
    }

    function refuseSpending(IWholeCage member, uint256 amount, bytes memory reason) internal {
        use(member);
        refuse(reason, buyWeth(amount));
    }

    /// One call of the intruder, which does what it was told.
    function intrusion() internal view returns (Trade[] memory) {
        return callTrade(address(intruder), 0, abi.encodeCall(ReenteringProtocol.run, ()));
    }
}
