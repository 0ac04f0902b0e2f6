CREATE TABLE `event_removals` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`filters` text,
	`properties` text,
	`events` integer NOT NULL,
	`digest` text NOT NULL,
	`requested_at` integer NOT NULL,
	`requested_by` text NOT NULL,
	`due_at` integer NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`stores` text DEFAULT '{}' NOT NULL,
	`error` text,
	`progress_at` integer NOT NULL,
	`completed_at` integer,
	`receipt` text
);
--> statement-breakpoint
CREATE INDEX `event_removals_project` ON `event_removals` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `event_removals_open` ON `event_removals` (`due_at`) WHERE completed_at is null;--> statement-breakpoint
CREATE TABLE `removed_events` (
	`project_id` integer NOT NULL,
	`uuid` blob NOT NULL,
	PRIMARY KEY(`project_id`, `uuid`)
) WITHOUT ROWID;
