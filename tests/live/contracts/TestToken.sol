// SPDX-License-Identifier: MIT
// A minimal ERC-20 for the live tests: mints to anybody, and can be told to misbehave.
pragma solidity 0.8.30;

contract TestToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;
    bool public paused;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function pause(bool value) external {
        paused = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!paused, "paused");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

// Pays several at once: its transactions carry the tag, but call no token contract themselves.
contract TestRouter {
    function forward(TestToken token, address to, uint256 value, bytes16) external {
        token.transfer(to, value);
    }
}
