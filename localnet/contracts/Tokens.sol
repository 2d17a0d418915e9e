// SPDX-License-Identifier: MIT
// Tokens of the local network: they mint to anybody, and misbehave in the ways real ones do.
pragma solidity 0.8.30;

// Balances, allowances and the first two storage slots, which localnet/nodes.py writes: symbol (short), decimals.
abstract contract Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public symbol;
    uint8 public decimals;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    bool public paused;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function pause(bool value) external {
        paused = value;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        require(!paused, "paused");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function _spend(address owner, uint256 value) internal {
        uint256 allowed = allowance[owner][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) allowance[owner][msg.sender] = allowed - value;
    }

    function _approve(address spender, uint256 value) internal {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }
}

contract TestToken is Ledger {
    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _spend(from, value);
        _move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(spender, value);
        return true;
    }
}

interface Wallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

// As Circle's USDC 2.2: takes an owner's signed authorization for a transfer, each nonce once (EIP-3009). An owner that
// is a contract is asked itself whether it signed (EIP-1271), in both forms of the call.
contract DollarToken is TestToken {
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 kind = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        return keccak256(abi.encode(kind, keccak256("USD Coin"), keccak256("2"), block.chainid, address(this)));
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        _authorized(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external {
        _authorized(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function _authorized(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) private {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not valid now");
        require(!authorizationState[from][nonce], "used");
        bytes32 kind = keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes32 what = keccak256(abi.encode(kind, from, to, value, validAfter, validBefore, nonce));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), what));
        require(_signed(from, digest, signature), "signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _move(from, to, value);
    }

    function _signed(address from, bytes32 digest, bytes memory signature) private view returns (bool) {
        if (from.code.length > 0) {
            (bool done, bytes memory answer) =
                from.staticcall(abi.encodeWithSelector(Wallet.isValidSignature.selector, digest, signature));
            return done && answer.length == 32 && bytes4(answer) == Wallet.isValidSignature.selector;
        }
        if (signature.length != 65) return false;
        bytes32 r;
        bytes32 s;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
        }
        return ecrecover(digest, uint8(signature[64]), r, s) == from;
    }
}

// Takes one part in a hundred of every transfer for itself.
contract FeeToken is TestToken {
    function _move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super._move(from, to, value - fee);
        super._move(from, address(this), fee);
    }
}

// As mainnet's USDT: no answers, and an allowance must be taken back before another is given.
contract ResetToken is Ledger {
    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        _spend(from, value);
        _move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "reset first");
        _approve(spender, value);
    }
}

// The wrapped native coin; localnet/nodes.py gives it coins enough for what is minted.
contract WrappedCoin is TestToken {
    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Transfer(address(0), msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
        (bool paid, ) = msg.sender.call{value: value}("");
        require(paid, "coin");
    }
}

// Pays several at once: its transactions carry the tag, but call no token contract themselves.
contract TestRouter {
    function forward(TestToken token, address to, uint256 value, bytes16) external {
        token.transfer(to, value);
    }
}
