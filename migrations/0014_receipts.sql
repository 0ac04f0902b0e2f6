CREATE TABLE `ledger_head` (
	`id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `erased_identities` ADD `receipt_hash` text;