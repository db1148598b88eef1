// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice What ingestion reads of an ERC-8004 identity registry: each agent's wallet, zero for an agent that has none.
contract AgentRegistryModel {
    mapping(uint256 agentId => address) public getAgentWallet;

    /// @dev Anyone may: tests play the owners of all agents.
    function setAgentWallet(uint256 agentId, address wallet) external {
        getAgentWallet[agentId] = wallet;
    }
}
