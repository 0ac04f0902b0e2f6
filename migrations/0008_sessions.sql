CREATE TABLE `session_shingles` (
	`project_id` integer NOT NULL,
	`shingle` integer NOT NULL,
	`session_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `shingle`, `session_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `session_values` (
	`project_id` integer NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`, `value`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `session_values_frequent` ON `session_values` (`project_id`,`key`,count desc) WHERE count > 1;--> statement-breakpoint
CREATE TABLE `sessions` (
	`project_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`identities` text NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`events` integer NOT NULL,
	`pageviews` integer NOT NULL,
	`autocaptures` integer NOT NULL,
	`screens` integer NOT NULL,
	`entry_key` text,
	`entry` text,
	`exit_key` text,
	`exit` text,
	`click_key` text,
	`click` text,
	`vitals_key` text,
	`lcp` real,
	`open_slot` integer,
	`is_stale` integer DEFAULT false NOT NULL,
	`counted` text,
	`steps` text,
	`shingles` text,
	`revision` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `session_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_open` ON `sessions` (`open_slot`) WHERE open_slot is not null;--> statement-breakpoint
CREATE INDEX `sessions_stale` ON `sessions` (`project_id`) WHERE is_stale;--> statement-breakpoint
DROP INDEX `recordings_newest`;--> statement-breakpoint
CREATE INDEX `recordings_newest` ON `recordings` (`project_id`,`start_time`,`session_id`);