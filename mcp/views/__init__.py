"""The agents' doors over HTTP."""
