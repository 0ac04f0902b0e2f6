CREATE TABLE `shares` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`object_id` integer NOT NULL,
	`access_token` text NOT NULL,
	`shared_hash` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `object_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shares_hash` ON `shares` (`shared_hash`) WHERE "shares"."shared_hash" is not null;