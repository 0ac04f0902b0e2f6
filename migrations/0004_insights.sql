CREATE TABLE `dashboard_tiles` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`dashboard_id` integer NOT NULL,
	`insight_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_tiles_pair` ON `dashboard_tiles` (`dashboard_id`,`insight_id`);--> statement-breakpoint
CREATE INDEX `dashboard_tiles_insight` ON `dashboard_tiles` (`insight_id`);--> statement-breakpoint
CREATE TABLE `dashboards` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text,
	`description` text NOT NULL,
	`pinned` integer NOT NULL,
	`tags` text NOT NULL,
	`deleted` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `dashboards_project` ON `dashboards` (`project_id`,`deleted`,`id`);--> statement-breakpoint
CREATE TABLE `insights` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`short_id` text NOT NULL,
	`name` text,
	`derived_name` text,
	`description` text,
	`filters` text NOT NULL,
	`query` text,
	`order` integer,
	`tags` text NOT NULL,
	`favorited` integer NOT NULL,
	`saved` integer NOT NULL,
	`deleted` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_modified_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `insights_short_id` ON `insights` (`short_id`);--> statement-breakpoint
CREATE INDEX `insights_project` ON `insights` (`project_id`,`deleted`,`id`);