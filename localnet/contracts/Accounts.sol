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

// A wallet that is a contract: takes its owner's signatures for its own (EIP-1271).
contract OwnedAccount {
    address public owner;

    function setOwner(address value) external {
        owner = value;
    }

    function pay(address token, address to, uint256 value) external {
        (bool done, ) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, value));
        require(done, "transfer");
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        require(signature.length == 65, "length");
        bytes32 r = bytes32(signature[:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(digest, uint8(signature[64]), r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

// Makes wallets at addresses that are known before (CREATE2), each for the owner that its address stands for.
contract AccountFactory {
    function make(address owner) external returns (OwnedAccount made) {
        made = new OwnedAccount{salt: bytes32(uint256(uint160(owner)))}();
        made.setOwner(owner);
    }

    function addressFor(address owner) external view returns (address) {
        bytes32 code = keccak256(type(OwnedAccount).creationCode);
        bytes32 salt = bytes32(uint256(uint160(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
