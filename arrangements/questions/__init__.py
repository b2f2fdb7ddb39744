"""Questions about models: what one can say and another cannot, and audits of whole vocabularies."""
