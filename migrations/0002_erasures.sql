CREATE TABLE `activity` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`uuid` text NOT NULL,
	`scope` text NOT NULL,
	`item_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`activity` text NOT NULL,
	`actor` text,
	`detail` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `activity_scope` ON `activity` (`project_id`,`scope`);--> statement-breakpoint
CREATE INDEX `activity_owner` ON `activity` (`project_id`,`scope`,`owner_id`);--> statement-breakpoint
CREATE TABLE `deletion_runs` (
	`scheduled_for` integer PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`started_by` text NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `erased_identities` (
	`key` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`hash` text NOT NULL,
	`erasure_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`erased_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erased_identities_hash` ON `erased_identities` (`project_id`,`hash`);--> statement-breakpoint
CREATE INDEX `erased_identities_erasure` ON `erased_identities` (`erasure_id`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`person_uuid` text NOT NULL,
	`requested_at` integer NOT NULL,
	`requested_by` text NOT NULL,
	`delete_events` integer NOT NULL,
	`status` text NOT NULL,
	`run` integer,
	`cleared_at` integer,
	`found` integer,
	`removed` integer DEFAULT 0 NOT NULL,
	`dropped` integer DEFAULT 0 NOT NULL,
	`stores` text DEFAULT '{}' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error` text,
	`progress_at` integer NOT NULL,
	`receipt` text
);
--> statement-breakpoint
CREATE INDEX `erasures_project` ON `erasures` (`project_id`,`delete_events`);--> statement-breakpoint
CREATE INDEX `erasures_person` ON `erasures` (`project_id`,`person_uuid`);--> statement-breakpoint
CREATE INDEX `erasures_open` ON `erasures` (`status`) WHERE status <> 'completed';--> statement-breakpoint
ALTER TABLE `projects` ADD `erasure_salt` text DEFAULT '' NOT NULL;