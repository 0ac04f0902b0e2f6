ALTER TABLE `erasures` ADD `mentions` text;--> statement-breakpoint
ALTER TABLE `ledger_head` ADD `secret` text;--> statement-breakpoint
ALTER TABLE `ledger_head` ADD `secret_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `dead_letters` ADD `is_unreadable` integer DEFAULT false NOT NULL;