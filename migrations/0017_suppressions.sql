CREATE TABLE `suppressed_ids` (
	`project_id` integer NOT NULL,
	`hash` text NOT NULL,
	`suppression_id` text NOT NULL,
	`receipt_hash` text,
	`since` integer NOT NULL,
	PRIMARY KEY(`project_id`, `hash`, `suppression_id`)
);
--> statement-breakpoint
CREATE INDEX `suppressed_ids_suppression` ON `suppressed_ids` (`suppression_id`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`person_uuid` text,
	`person_id` integer,
	`is_identified` integer NOT NULL,
	`since` integer NOT NULL,
	`requested_by` text NOT NULL,
	`lifted_at` integer,
	`lifted_by` text,
	`events` integer DEFAULT 0 NOT NULL,
	`recording_parts` integer DEFAULT 0 NOT NULL,
	`last_dropped_at` integer
);
--> statement-breakpoint
CREATE INDEX `suppressions_project` ON `suppressions` (`project_id`,`id`);