// SPDX-License-Identifier: MIT
// Moves tokens and coins, whatever a token answers. The zero address is the native coin.
pragma solidity 0.8.30;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function mint(address to, uint256 value) external;
    function withdraw(uint256 value) external;
    function deposit() external payable;
}

library Assets {
    error TransferFailed(address asset);

    function held(address asset) internal view returns (uint256) {
        return asset == address(0) ? address(this).balance : Token(asset).balanceOf(address(this));
    }

    function send(address asset, address to, uint256 value) internal {
        if (asset == address(0)) {
            (bool paid, ) = to.call{value: value}("");
            if (!paid) revert TransferFailed(asset);
        } else {
            _must(asset, abi.encodeWithSignature("transfer(address,uint256)", to, value));
        }
    }

    function pull(address asset, address from, address to, uint256 value) internal {
        _must(asset, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, value));
    }

    // As LI.FI's: the most there is, and only where less is allowed than needed; from zero again where the token insists.
    function allow(address asset, address spender, uint256 value) internal {
        if (Token(asset).allowance(address(this), spender) >= value) return;
        if (_try(asset, abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max))) return;
        _must(asset, abi.encodeWithSignature("approve(address,uint256)", spender, 0));
        _must(asset, abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
    }

    function _must(address asset, bytes memory call) private {
        if (!_try(asset, call)) revert TransferFailed(asset);
    }

    function _try(address asset, bytes memory call) private returns (bool) {
        (bool done, bytes memory answer) = asset.call(call);
        return done && asset.code.length > 0 && (answer.length == 0 || abi.decode(answer, (bool)));
    }
}
