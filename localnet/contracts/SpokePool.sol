// SPDX-License-Identifier: MIT
// Across's pool as wallets, relayers and readers of its events see it.
// Source: github across-protocol/contracts, contracts/spoke-pools/SpokePool.sol and contracts/interfaces/V3SpokePoolInterface.sol.
pragma solidity 0.8.30;

import {Assets, Token} from "Assets.sol";

contract SpokePool {
    struct V3RelayData {
        bytes32 depositor;
        bytes32 recipient;
        bytes32 exclusiveRelayer;
        bytes32 inputToken;
        bytes32 outputToken;
        uint256 inputAmount;
        uint256 outputAmount;
        uint256 originChainId;
        uint256 depositId;
        uint32 fillDeadline;
        uint32 exclusivityDeadline;
        bytes message;
    }

    struct V3RelayExecutionEventInfo {
        bytes32 updatedRecipient;
        bytes32 updatedMessageHash;
        uint256 updatedOutputAmount;
        uint8 fillType;
    }

    event FundsDeposited(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 indexed destinationChainId,
        uint256 indexed depositId,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 indexed depositor,
        bytes32 recipient,
        bytes32 exclusiveRelayer,
        bytes message
    );
    event FilledRelay(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 repaymentChainId,
        uint256 indexed originChainId,
        uint256 indexed depositId,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 exclusiveRelayer,
        bytes32 indexed relayer,
        bytes32 depositor,
        bytes32 recipient,
        bytes32 messageHash,
        V3RelayExecutionEventInfo relayExecutionInfo
    );
    event ExecutedRelayerRefundRoot(
        uint256 amountToReturn,
        uint256 indexed chainId,
        uint256[] refundAmounts,
        uint32 indexed rootBundleId,
        uint32 indexed leafId,
        address l2TokenAddress,
        address[] refundAddresses,
        bool deferredRefunds,
        address caller
    );

    error InvalidQuoteTimestamp();
    error InvalidFillDeadline();
    error InvalidExclusiveRelayer();
    error InvalidOutputToken();
    error MsgValueDoesNotMatchInputAmount();
    error ExpiredFillDeadline();
    error RelayFilled();

    // Written by localnet/nodes.py.
    address public wrappedNativeToken;
    uint32 public numberOfDeposits;
    uint32 private refunds;
    mapping(bytes32 => uint256) public fillStatuses;

    receive() external payable {}

    function deposit(
        bytes32 depositor,
        bytes32 recipient,
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        bytes32 exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable {
        if (outputToken == 0) revert InvalidOutputToken();
        if (block.timestamp < quoteTimestamp || block.timestamp - quoteTimestamp > 1 hours) revert InvalidQuoteTimestamp();
        if (fillDeadline > block.timestamp + 6 hours) revert InvalidFillDeadline();
        if (exclusivityParameter > 0 && exclusiveRelayer == 0) revert InvalidExclusiveRelayer();
        _take(inputToken, inputAmount);
        emit FundsDeposited(
            inputToken,
            outputToken,
            inputAmount,
            outputAmount,
            destinationChainId,
            numberOfDeposits++,
            quoteTimestamp,
            fillDeadline,
            _exclusiveUntil(exclusivityParameter),
            depositor,
            recipient,
            exclusiveRelayer,
            message
        );
    }

    function fillRelay(V3RelayData calldata relay, uint256 repaymentChainId, bytes32 repaymentAddress) external {
        _fill(relay, relay.outputAmount, relay.recipient, repaymentChainId, repaymentAddress);
    }

    // Another amount or recipient than deposited. Across asks for the depositor's signature; nobody checks it here.
    function fillRelayWithUpdatedDeposit(
        V3RelayData calldata relay,
        uint256 repaymentChainId,
        bytes32 repaymentAddress,
        uint256 updatedOutputAmount,
        bytes32 updatedRecipient,
        bytes calldata,
        bytes calldata
    ) external {
        _fill(relay, updatedOutputAmount, updatedRecipient, repaymentChainId, repaymentAddress);
    }

    // What a bundle of refunds leaves behind for one depositor; Across proves it, nobody does here.
    function refund(address token, address to, uint256 amount) external {
        uint256[] memory amounts = new uint256[](1);
        address[] memory receivers = new address[](1);
        (amounts[0], receivers[0]) = (amount, to);
        Assets.send(token, to, amount);
        emit ExecutedRelayerRefundRoot(0, block.chainid, amounts, ++refunds, 0, token, receivers, false, msg.sender);
    }

    function _take(bytes32 inputToken, uint256 inputAmount) private {
        if (_address(inputToken) == wrappedNativeToken && msg.value > 0) {
            if (msg.value != inputAmount) revert MsgValueDoesNotMatchInputAmount();
            Token(wrappedNativeToken).deposit{value: msg.value}();
        } else {
            if (msg.value != 0) revert MsgValueDoesNotMatchInputAmount();
            Assets.pull(_address(inputToken), msg.sender, address(this), inputAmount);
        }
    }

    function _exclusiveUntil(uint32 parameter) private view returns (uint32) {
        return parameter > 0 && parameter <= 365 days ? parameter + uint32(block.timestamp) : parameter;
    }

    function _fill(
        V3RelayData calldata relay,
        uint256 amount,
        bytes32 recipient,
        uint256 repaymentChainId,
        bytes32 relayer
    ) private {
        if (relay.fillDeadline < block.timestamp) revert ExpiredFillDeadline();
        bytes32 relayHash = keccak256(abi.encode(relay, block.chainid));
        if (fillStatuses[relayHash] == 2) revert RelayFilled();
        fillStatuses[relayHash] = 2;
        bytes32 messageHash = relay.message.length == 0 ? bytes32(0) : keccak256(relay.message);
        _tell(relay, repaymentChainId, relayer, messageHash, V3RelayExecutionEventInfo(recipient, messageHash, amount, 0));
        _pay(_address(relay.outputToken), _address(recipient), amount);
    }

    function _tell(
        V3RelayData calldata relay,
        uint256 repaymentChainId,
        bytes32 relayer,
        bytes32 messageHash,
        V3RelayExecutionEventInfo memory info
    ) private {
        emit FilledRelay(
            relay.inputToken,
            relay.outputToken,
            relay.inputAmount,
            relay.outputAmount,
            repaymentChainId,
            relay.originChainId,
            relay.depositId,
            relay.fillDeadline,
            relay.exclusivityDeadline,
            relay.exclusiveRelayer,
            relayer,
            relay.depositor,
            relay.recipient,
            messageHash,
            info
        );
    }

    function _pay(address token, address to, uint256 amount) private {
        if (token != wrappedNativeToken) return Assets.pull(token, msg.sender, to, amount);
        Assets.pull(token, msg.sender, address(this), amount);
        if (to.code.length > 0) return Assets.send(token, to, amount);
        Token(token).withdraw(amount);
        Assets.send(address(0), to, amount);
    }

    function _address(bytes32 word) private pure returns (address) {
        return address(uint160(uint256(word)));
    }
}
