"""Questions about models: many at once, what one can say and another cannot, audits."""
