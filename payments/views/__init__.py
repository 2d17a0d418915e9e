"""REST doors to payment intents, and to the test world."""
