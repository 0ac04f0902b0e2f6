CREATE TABLE `cohort_members` (
	`cohort_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	PRIMARY KEY(`cohort_id`, `person_id`)
);
--> statement-breakpoint
CREATE INDEX `cohort_members_person` ON `cohort_members` (`person_id`);--> statement-breakpoint
CREATE TABLE `cohorts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text,
	`description` text NOT NULL,
	`is_static` integer NOT NULL,
	`filters` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `cohorts_newest` ON `cohorts` (`project_id`,`created_at`,`id`);