"""Where nobody may be made to send: addresses by range, their spellings, names that lead there, parser traps.

Source: IANA special-purpose registries; the classes of the SSRF suite in the threat model.
"""

PRIVATE_IPV4 = (
    *("0.0.0.0", "0.0.0.1", "0.255.255.255"),  # noqa: S104 - an address to refuse, not to bind
    *("10.0.0.0", "10.0.0.1", "10.255.255.255"),
    *("100.64.0.0", "100.64.0.1", "100.100.100.200", "100.127.255.255"),
    *("127.0.0.0", "127.0.0.1", "127.0.0.53", "127.1.2.3", "127.255.255.255"),
    *("168.63.129.16",),
    *("169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255"),
    *("172.16.0.0", "172.16.0.1", "172.17.0.1", "172.31.255.255"),
    *("192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.0.255"),
    *("192.0.2.0", "192.0.2.1", "192.0.2.255"),
    *("192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1"),
    *("192.168.0.0", "192.168.0.1", "192.168.1.1", "192.168.255.255"),
    *("198.18.0.0", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.0", "198.51.100.1", "203.0.113.0", "203.0.113.255"),
    *("224.0.0.1", "239.255.255.250", "239.255.255.255"),
    *("240.0.0.1", "250.1.2.3", "255.255.255.254", "255.255.255.255"),
)
PRIVATE_IPV6 = (
    *("::", "::1", "::2", "::7f00:1", "::127.0.0.1", "::169.254.169.254", "::8.8.8.8"),
    *("::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"),
    *("::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"),
    *("64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::8.8.8.8", "64:ff9b:1::127.0.0.1", "64:ff9b:1:ffff::1"),
    *("100::1", "100:0:0:1::1"),
    *("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1"),
    *("2001:10::1", "2001:1f:ffff::1", "2001:20::1", "2001:2f:ffff::1", "2001:30::1", "2001:1ff::1"),
    *("2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff::1"),
    *("2002::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2002:c0a8:101::1"),
    *("2620:4f:8000::1", "5f00::1", "4000::1", "8000::1"),
    *("fc00::1", "fc00:ec2::254", "fd00::1", "fd00:ec2::254", "fdff:ffff::1"),
    *("fe80::1", "fe80::a9fe:a9fe", "febf::1", "fec0::1", "fec0:0:0:ffff::1", "feff::1"),
    *("ff02::1", "ff05::2", "ff0e::1"),
)
ODD_SPELLINGS = (
    *("2130706433", "017700000001", "0x7f000001", "0x7f.0x0.0x0.0x1", "0x7F.1", "0177.0.0.1", "0177.0.0.01"),
    *("127.1", "127.0.1", "127.0.0.1.", "127.0.0.1..", "127.00.0.1", "127.0.0.001", "0127.0.0.1", "127.0.0.1e0"),
    *("2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376", "169.254.43518", "169.16689662"),
    *("0", "0.0", "0x0", "1", "10", "10.1", "192.168.257", "3232235777", "4294967295", "4294967296", "99999999999"),
    *("256.256.256.256", "1.2.3.4.5", "1.2.3", "8.8.2056", "foo.127", "foo.0x7f", "a.b.c.0", "foo.1a"),
    *("[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]"),
    *("[::1%25lo]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%2]", "[v1.fe80::a]", "[127.0.0.1]", "[]", "[::1"),
    *("127.0.0.1%2f", "%31%32%37.0.0.1", "127%2e0%2e0%2e1"),
    *("127。0。0。1", "１２７.０.０.１", "①②⑦.⓪.⓪.①", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ"),
    *("127.0.0.1\t", "127.0.0.1\n", "127.0.0.1 ", " 127.0.0.1", "127.0.0.1\x00", "127.0.0.1\r\nHost: x"),
)
PRIVATE_NAMES = (
    *("localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "ip6-localhost"),
    *("intranet", "router", "printer.local", "db.internal", "metadata.google.internal", "metadata", "local"),
    *("internal", "nas.lan", "x.home.arpa", "app.intranet", "kubernetes.default.svc.cluster.local"),
)
TRAPS = (
    *("http://hooks.shop.example/", "http://8.8.8.8/", "ftp://hooks.shop.example/", "file:///etc/passwd"),
    *("gopher://hooks.shop.example/", "data:text/plain,x", "javascript:alert(1)", "ws://hooks.shop.example/"),
    *("unix:///run/x.sock", "http+unix://%2frun%2fx/", "//hooks.shop.example/", "/hook", "hooks.shop.example"),
    *("https:hooks.shop.example", "https:/hooks.shop.example", "https:///hooks.shop.example", "https://"),
    *("https://?x", "https://:443/", "https://user@hooks.shop.example/", "https://user:word@hooks.shop.example/"),
    *("https://:word@hooks.shop.example/", "https://@hooks.shop.example/", "https://hooks.shop.example@127.0.0.1/"),
    *("https://127.0.0.1@hooks.shop.example/", "https://hooks.shop.example\\@127.0.0.1/"),
    *("https://127.0.0.1\\@hooks.shop.example/", "https://hooks.shop.example\\.evil.example/"),
    *("https://hooks.shop.example:22/", "https://hooks.shop.example:25/", "https://hooks.shop.example:80/"),
    *("https://hooks.shop.example:0/", "https://hooks.shop.example:1024/", "https://hooks.shop.example:65536/"),
    *("https://hooks.shop.example:-1/", "https://hooks.shop.example:4 43/", "https://hooks.shop.example:٤٤٣/"),
    *("https://hooks.shop.example/#@127.0.0.1/", "https://hooks..shop.example/", "https://-hooks.shop.example/"),
    *("https://hooks-.shop.example/", "https://.shop.example/", "https://hooks.shop.example%00.evil.example/"),
    *("https://hooks.shop.example%2eevil/", "https://h\u00f6oks.shop.example/"),
    *("https://hooks.shop.example/\r\nX-Injected: 1", "https://hooks.shop.example/ x"),
    *("https://hooks.shop.example/<script>", 'https://hooks.shop.example/"', "https://" + "a" * 64 + ".example/"),
    *("https://" + "a." * 130 + "example/", "HTTP://127.0.0.1/", "https://[::1].shop.example/"),
    *("https://1.2.3.4 .shop.example/",),
)


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


LITERALS = tuple(f"https://{_host(address)}/hook" for address in (*PRIVATE_IPV4, *PRIVATE_IPV6))
SPELLED = tuple(f"https://{host}/hook" for host in (*ODD_SPELLINGS, *PRIVATE_NAMES))
RESOLVING = {f"n{number}.attacker.example": address for number, address in enumerate((*PRIVATE_IPV4, *PRIVATE_IPV6))}
"""Public-looking names and the private addresses that their owner makes them resolve to."""

GOOD = (
    *("https://hooks.shop.example/", "https://hooks.shop.example", "https://HOOKS.Shop.Example/a/b?c=d&e=%20#"[:-1]),
    *("https://hooks.shop.example:443/", "https://hooks.shop.example:8443/x", "https://hooks.shop.example:1025/"),
    *("https://hooks.shop.example:65535/", "https://a.b.c.d.e.f.example/", "https://xn--hks-5qa.shop.example/"),
    *("https://my_hooks.shop.example/", "https://1.shop.example/", "https://127.0.0.1.shop.example/"),
    *("https://localhost.shop.example/", "https://internal.shop.example/", "https://shop.example./hook"),
    *("https://8.8.8.8/", "https://1.1.1.1:8443/", "https://[2606:4700:4700::1111]/", "https://[2a00:1450::1]:8443/x"),
    *("https://hooks.shop.example/?to=user@mail.example", "https://hooks.shop.example?x=@"),
)
