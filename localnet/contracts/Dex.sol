// SPDX-License-Identifier: MIT
// A place to swap: every token has a price, and a trade moves it by how large it is beside the depth.
pragma solidity 0.8.30;

import {Assets, Token} from "Assets.sol";

contract Dex {
    error Stale();
    error Unknown(address token);

    // Units: US dollars times 10^36 for one base unit. localnet/market.py has the same arithmetic.
    mapping(address => uint256) public price;
    // Units: US dollars times 10^36; zero is bottomless.
    uint256 public depth;
    uint256 public feeBps;

    receive() external payable {}

    function setPrice(address token, uint256 value) external {
        price[token] = value;
    }

    function setCosts(uint256 depth_, uint256 feeBps_) external {
        depth = depth_;
        feeBps = feeBps_;
    }

    function quote(address tokenIn, address tokenOut, uint256 amountIn) public view returns (uint256) {
        if (price[tokenIn] == 0) revert Unknown(tokenIn);
        if (price[tokenOut] == 0) revert Unknown(tokenOut);
        uint256 value = amountIn * price[tokenIn] * (10_000 - feeBps) / 10_000;
        if (depth != 0) value = value * (depth / 1e18) / ((depth + value) / 1e18 + 1);
        return value / price[tokenOut];
    }

    // Tokens come from nothing here, coins from what localnet/nodes.py gave.
    function swap(address tokenIn, address tokenOut, uint256 amountIn, uint256 until, address to) external payable {
        if (block.timestamp > until) revert Stale();
        uint256 amountOut = quote(tokenIn, tokenOut, amountIn);
        if (tokenIn == address(0)) require(msg.value == amountIn, "value");
        else Assets.pull(tokenIn, msg.sender, address(this), amountIn);
        if (tokenOut == address(0)) Assets.send(tokenOut, to, amountOut);
        else Token(tokenOut).mint(to, amountOut);
    }
}

// LI.FI's fee step. Source: github lifinance/contracts, src/Periphery/FeeForwarder.sol (2.0.0).
contract FeeForwarder {
    struct FeeDistribution {
        address recipient;
        uint256 amount;
    }

    event FeesForwarded(address indexed token, FeeDistribution[] distributions);

    function forwardERC20Fees(address token, FeeDistribution[] calldata distributions) external {
        for (uint256 i; i < distributions.length; ++i) {
            Assets.pull(token, msg.sender, distributions[i].recipient, distributions[i].amount);
        }
        emit FeesForwarded(token, distributions);
    }

    function forwardNativeFees(FeeDistribution[] calldata distributions) external payable {
        uint256 left = msg.value;
        for (uint256 i; i < distributions.length; ++i) {
            left -= distributions[i].amount;
            Assets.send(address(0), distributions[i].recipient, distributions[i].amount);
        }
        if (left > 0) Assets.send(address(0), msg.sender, left);
        emit FeesForwarded(address(0), distributions);
    }
}
