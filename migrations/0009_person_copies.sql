ALTER TABLE `persons` ADD `copy_credit` integer DEFAULT 65536 NOT NULL;--> statement-breakpoint
ALTER TABLE `persons` ADD `is_version_stale` integer DEFAULT false NOT NULL;