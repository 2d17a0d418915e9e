// SPDX-License-Identifier: MIT
// LI.FI's Diamond as far as a payment meets it: GenericSwapFacetV3 and AcrossFacetV4, their calls, checks and events.
// Source: github lifinance/contracts, src/Facets/GenericSwapFacetV3.sol, src/Facets/AcrossFacetV4.sol, src/Helpers/SwapperV2.sol.
pragma solidity 0.8.30;

import {Assets} from "Assets.sol";
import {SpokePool} from "SpokePool.sol";

contract Diamond {
    struct SwapData {
        address callTo;
        address approveTo;
        address sendingAssetId;
        address receivingAssetId;
        uint256 fromAmount;
        bytes callData;
        bool requiresDeposit;
    }

    struct BridgeData {
        bytes32 transactionId;
        string bridge;
        string integrator;
        address referrer;
        address sendingAssetId;
        address receiver;
        uint256 minAmount;
        uint256 destinationChainId;
        bool hasSourceSwaps;
        bool hasDestinationCall;
    }

    struct AcrossV4Data {
        bytes32 receiverAddress;
        bytes32 refundAddress;
        bytes32 sendingAssetId;
        bytes32 receivingAssetId;
        uint256 outputAmount;
        uint128 outputAmountMultiplier;
        bytes32 exclusiveRelayer;
        uint32 quoteTimestamp;
        uint32 fillDeadline;
        uint32 exclusivityParameter;
        bytes message;
    }

    // Kept together, since the compiler can only hold so many at a time.
    struct Order {
        bytes32 transactionId;
        string integrator;
        string referrer;
        address receiver;
        uint256 minAmountOut;
    }

    event LiFiTransferStarted(BridgeData bridgeData);
    event LiFiGenericSwapCompleted(
        bytes32 indexed transactionId,
        string integrator,
        string referrer,
        address receiver,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount
    );
    event AssetSwapped(
        bytes32 transactionId,
        address dex,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount,
        uint256 timestamp
    );
    event BridgeToNonEVMChainBytes32(bytes32 indexed transactionId, uint256 indexed destinationChainId, bytes32 receiver);

    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error ContractCallNotAllowed();
    error InformationMismatch();
    error InvalidAmount();
    error InvalidCallData();
    error InvalidNonEVMReceiver();
    error InvalidReceiver();
    error CannotBridgeToSameNetwork();

    address private constant NON_EVM_ADDRESS = 0x11f111f111f111F111f111f111F111f111f111F1;
    uint256 private constant LIFI_SOLANA = 1151111081099710;
    uint256 private constant ACROSS_SOLANA = 34268394551451;
    address private constant DEX = 0x7E57000000000000000000000000000000000de4;
    address private constant FEE_FORWARDER = 0xCE40449B773a3E6E5e769ADb4e567179d4828cbd;

    // Written by localnet/nodes.py.
    SpokePool public spokePool;
    address public wrappedNative;

    receive() external payable {}

    function swapTokensSingleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external {
        Assets.pull(swapData.sendingAssetId, msg.sender, address(this), swapData.fromAmount);
        _swapTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensSingleV3ERC20ToNative(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external {
        Assets.pull(swapData.sendingAssetId, msg.sender, address(this), swapData.fromAmount);
        _swapTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensSingleV3NativeToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external payable {
        _swapTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external {
        _swapAllTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3ERC20ToNative(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external {
        _swapAllTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3NativeToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external payable {
        _swapAllTo(Order(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function startBridgeTokensViaAcrossV4(BridgeData memory bridgeData, AcrossV4Data calldata acrossData) external payable {
        _validate(bridgeData, false);
        if (bridgeData.sendingAssetId != address(0)) {
            Assets.pull(bridgeData.sendingAssetId, msg.sender, address(this), bridgeData.minAmount);
        } else if (msg.value < bridgeData.minAmount) {
            revert InvalidAmount();
        }
        _startBridge(bridgeData, acrossData);
        _giveBack(address(0), msg.sender);
    }

    function swapAndStartBridgeTokensViaAcrossV4(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        AcrossV4Data calldata acrossData
    ) external payable {
        _validate(bridgeData, true);
        uint256 before = Assets.held(bridgeData.sendingAssetId);
        if (bridgeData.sendingAssetId == address(0)) before -= msg.value;
        _deposit(swapData);
        _swapAll(bridgeData.transactionId, swapData, msg.sender);
        uint256 swapped = Assets.held(swapData[swapData.length - 1].receivingAssetId) - before;
        if (swapped < bridgeData.minAmount) revert CumulativeSlippageTooHigh(bridgeData.minAmount, swapped);
        bridgeData.minAmount = swapped;
        AcrossV4Data memory adjusted = acrossData;
        adjusted.outputAmount = swapped * acrossData.outputAmountMultiplier / 1e18;
        _startBridge(bridgeData, adjusted);
        _giveBack(address(0), msg.sender);
    }

    function _swapTo(Order memory order, SwapData calldata swapData) private {
        _call(swapData, msg.value);
        _giveBack(swapData.sendingAssetId, order.receiver);
        uint256 received = _payOut(order, swapData.receivingAssetId);
        emit AssetSwapped(
            order.transactionId,
            swapData.callTo,
            swapData.sendingAssetId,
            swapData.receivingAssetId,
            swapData.fromAmount,
            received,
            block.timestamp
        );
        _complete(order, swapData, swapData.receivingAssetId, received);
    }

    function _swapAllTo(Order memory order, SwapData[] calldata swapData) private {
        _deposit(swapData);
        _swapAll(order.transactionId, swapData, order.receiver);
        address finalAsset = swapData[swapData.length - 1].receivingAssetId;
        _complete(order, swapData[0], finalAsset, _payOut(order, finalAsset));
    }

    function _deposit(SwapData[] calldata swapData) private {
        for (uint256 i; i < swapData.length; ++i) {
            SwapData calldata one = swapData[i];
            if (one.requiresDeposit && one.sendingAssetId != address(0)) {
                Assets.pull(one.sendingAssetId, msg.sender, address(this), one.fromAmount);
            }
        }
    }

    // A step that ends in the asset it began with is a fee, and leaves the rest for the next one.
    function _swapAll(bytes32 transactionId, SwapData[] calldata swapData, address leftoverReceiver) private {
        for (uint256 i; i < swapData.length; ++i) {
            SwapData calldata one = swapData[i];
            _call(one, one.sendingAssetId == address(0) ? one.fromAmount : 0);
            if (one.sendingAssetId != one.receivingAssetId) _giveBack(one.sendingAssetId, leftoverReceiver);
            emit AssetSwapped(
                transactionId,
                one.callTo,
                one.sendingAssetId,
                one.receivingAssetId,
                one.fromAmount,
                Assets.held(one.receivingAssetId),
                block.timestamp
            );
        }
    }

    function _call(SwapData calldata one, uint256 value) private {
        if (one.callTo != DEX && one.callTo != FEE_FORWARDER) revert ContractCallNotAllowed();
        if (one.sendingAssetId != address(0)) {
            if (one.approveTo != one.callTo) revert ContractCallNotAllowed();
            Assets.allow(one.sendingAssetId, one.approveTo, one.fromAmount);
        }
        (bool done, bytes memory answer) = one.callTo.call{value: value}(one.callData);
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    function _payOut(Order memory order, address asset) private returns (uint256 received) {
        received = Assets.held(asset);
        if (received < order.minAmountOut) revert CumulativeSlippageTooHigh(order.minAmountOut, received);
        Assets.send(asset, order.receiver, received);
    }

    function _complete(Order memory order, SwapData calldata first, address finalAsset, uint256 received) private {
        emit LiFiGenericSwapCompleted(
            order.transactionId,
            order.integrator,
            order.referrer,
            order.receiver,
            first.sendingAssetId,
            finalAsset,
            first.fromAmount,
            received
        );
    }

    function _giveBack(address asset, address to) private {
        uint256 left = Assets.held(asset);
        if (left > 0) Assets.send(asset, to, left);
    }

    function _validate(BridgeData memory bridgeData, bool swapsFirst) private view {
        if (bridgeData.receiver == address(0)) revert InvalidReceiver();
        if (bridgeData.minAmount == 0) revert InvalidAmount();
        if (bridgeData.destinationChainId == block.chainid) revert CannotBridgeToSameNetwork();
        if (bridgeData.hasSourceSwaps != swapsFirst) revert InformationMismatch();
    }

    function _startBridge(BridgeData memory bridgeData, AcrossV4Data memory acrossData) private {
        if (acrossData.message.length > 0 != bridgeData.hasDestinationCall) revert InformationMismatch();
        _checkReceiver(bridgeData, acrossData);
        if (acrossData.refundAddress == 0) revert InvalidCallData();
        bool isNative = bridgeData.sendingAssetId == address(0);
        if (!isNative) Assets.allow(bridgeData.sendingAssetId, address(spokePool), bridgeData.minAmount);
        spokePool.deposit{value: isNative ? bridgeData.minAmount : 0}(
            acrossData.refundAddress,
            acrossData.receiverAddress,
            isNative ? bytes32(uint256(uint160(wrappedNative))) : acrossData.sendingAssetId,
            acrossData.receivingAssetId,
            bridgeData.minAmount,
            acrossData.outputAmount,
            bridgeData.destinationChainId == LIFI_SOLANA ? ACROSS_SOLANA : bridgeData.destinationChainId,
            acrossData.exclusiveRelayer,
            acrossData.quoteTimestamp,
            acrossData.fillDeadline,
            acrossData.exclusivityParameter,
            acrossData.message
        );
        emit LiFiTransferStarted(bridgeData);
    }

    function _checkReceiver(BridgeData memory bridgeData, AcrossV4Data memory acrossData) private {
        bytes32 receiver = acrossData.receiverAddress;
        if (bridgeData.receiver == NON_EVM_ADDRESS) {
            if (receiver == 0) revert InvalidNonEVMReceiver();
            emit BridgeToNonEVMChainBytes32(bridgeData.transactionId, bridgeData.destinationChainId, receiver);
        } else if (!bridgeData.hasDestinationCall && bytes32(uint256(uint160(bridgeData.receiver))) != receiver) {
            revert InvalidReceiver();
        } else if (receiver == 0) {
            revert InvalidReceiver();
        }
    }
}
