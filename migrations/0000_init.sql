CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`label` text NOT NULL,
	`hash` text NOT NULL,
	`mask` text NOT NULL,
	`scopes` text NOT NULL,
	`project_ids` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `counters` (
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`project_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`object` text NOT NULL,
	`project_id` integer,
	`error` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`redriven_at` integer
);
--> statement-breakpoint
CREATE TABLE `distinct_ids` (
	`key` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`distinct_id` text NOT NULL,
	`person_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `distinct_ids_distinct_id` ON `distinct_ids` (`project_id`,`distinct_id`);--> statement-breakpoint
CREATE INDEX `distinct_ids_person` ON `distinct_ids` (`person_id`,`key`,`distinct_id`) WHERE "distinct_ids"."person_id" is not null;--> statement-breakpoint
CREATE TABLE `event_names` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_names_name` ON `event_names` (`project_id`,`name`);--> statement-breakpoint
CREATE TABLE `events` (
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`timestamp` integer NOT NULL,
	`uuid` blob NOT NULL,
	`identity` integer NOT NULL,
	`version` integer,
	`session_id` text,
	`window_id` text,
	`properties` blob NOT NULL,
	PRIMARY KEY(`project_id`, `event_id`, `timestamp`, `uuid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_uuid` ON `events` (`project_id`,`uuid`);--> statement-breakpoint
CREATE INDEX `events_identity` ON `events` (`identity`,`timestamp`);--> statement-breakpoint
CREATE TABLE `guard` (
	`ok` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `person_versions` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`properties` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `persons` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`uuid` text NOT NULL,
	`created_at` integer NOT NULL,
	`is_identified` integer NOT NULL,
	`properties` text NOT NULL,
	`writes` text NOT NULL,
	`search` text NOT NULL,
	`email` text GENERATED ALWAYS AS ((properties ->> '$.email')) VIRTUAL,
	`version` integer NOT NULL,
	`versions` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `persons_uuid` ON `persons` (`project_id`,`uuid`);--> statement-breakpoint
CREATE INDEX `persons_newest` ON `persons` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `persons_email` ON `persons` (`project_id`,`email`) WHERE email is not null;--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`owner_id` integer NOT NULL,
	`capture_token` text NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`week_start` integer DEFAULT 0 NOT NULL,
	`test_account_filters` text DEFAULT '[]' NOT NULL,
	`database` text DEFAULT 'DB' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_capture_token_unique` ON `projects` (`capture_token`);--> statement-breakpoint
CREATE TABLE `sequences` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`distinct_id` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`email` text NOT NULL,
	`is_email_verified` integer,
	`hedgehog_config` text,
	`role_at_organization` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_uuid_unique` ON `users` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);