CREATE TABLE `recording_parts` (
	`project_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`part_id` text NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	PRIMARY KEY(`project_id`, `session_id`, `part_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `recording_views` (
	`project_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`viewed_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `session_id`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `recordings` (
	`project_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`identity` integer NOT NULL,
	`is_relinked` integer NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`first_part` text NOT NULL,
	`snapshot_source` text NOT NULL,
	`active_ms` integer NOT NULL,
	`click_count` integer NOT NULL,
	`keypress_count` integer NOT NULL,
	`mouse_activity_count` integer NOT NULL,
	`console_log_count` integer NOT NULL,
	`console_warn_count` integer NOT NULL,
	`console_error_count` integer NOT NULL,
	`start_url` text,
	`urls` text NOT NULL,
	`parts` integer NOT NULL,
	`bytes` integer NOT NULL,
	`last_received_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`access_token` text NOT NULL,
	`shared_hash` text,
	`deleted` integer DEFAULT false NOT NULL,
	`deleted_at` integer,
	`purged_at` integer,
	`erasure_id` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `session_id`)
);
--> statement-breakpoint
CREATE INDEX `recordings_newest` ON `recordings` (`project_id`,`start_time`,`session_id`);--> statement-breakpoint
CREATE INDEX `recordings_identity` ON `recordings` (`identity`) WHERE not deleted;--> statement-breakpoint
CREATE INDEX `recordings_doomed` ON `recordings` (`deleted_at`) WHERE deleted and purged_at is null;--> statement-breakpoint
CREATE INDEX `recordings_erasure` ON `recordings` (`erasure_id`) WHERE erasure_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `recordings_shared` ON `recordings` (`shared_hash`) WHERE shared_hash is not null;--> statement-breakpoint
ALTER TABLE `erasures` ADD `delete_recordings` integer DEFAULT false NOT NULL;