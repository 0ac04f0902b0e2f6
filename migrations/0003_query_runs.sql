CREATE TABLE `query_runs` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`question` text NOT NULL,
	`asked_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `query_runs_asked` ON `query_runs` (`asked_at`);