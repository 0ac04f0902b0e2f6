CREATE TABLE `annotations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`content` text,
	`date_marker` integer,
	`scope` text NOT NULL,
	`insight_id` integer,
	`dashboard_id` integer,
	`creation_type` text NOT NULL,
	`is_emoji` integer NOT NULL,
	`deleted` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `annotations_project` ON `annotations` (`project_id`,`deleted`,`date_marker`,`id`);