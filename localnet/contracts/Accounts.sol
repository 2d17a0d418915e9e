// SPDX-License-Identifier: MIT
// A wallet that sends several calls as one, as wallets with EIP-7702 or of their own contract do.
pragma solidity 0.8.30;

contract SmartAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function execute(Call[] calldata calls) external payable {
        for (uint256 place; place < calls.length; ++place) {
            (bool done, ) = calls[place].to.call{value: calls[place].value}(calls[place].data);
            require(done, "inner call");
        }
    }

    // Undoes what it is told to, so that a call can stand in a transaction without having happened.
    function tryAndUndo(Call calldata call) external {
        try this.doAndRevert(call) {} catch {}
    }

    function doAndRevert(Call calldata call) external {
        (bool done, ) = call.to.call{value: call.value}(call.data);
        require(done, "inner call");
        revert("undone");
    }

    receive() external payable {}
}
