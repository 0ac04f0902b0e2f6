ALTER TABLE `ledger_head` ADD `beat` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `held` text;