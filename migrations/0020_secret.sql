ALTER TABLE `ledger_head` ADD `secret` text;--> statement-breakpoint
ALTER TABLE `ledger_head` ADD `secret_since` integer DEFAULT 0 NOT NULL;