"""A shop that a newcomer can buy from in test mode. It learns of payments only as any merchant does: by webhook."""
