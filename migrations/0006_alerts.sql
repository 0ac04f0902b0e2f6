CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`subscription_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`rule` text NOT NULL,
	`subscribed_users` text NOT NULL,
	`is_firing` integer NOT NULL,
	`error` text,
	`checked_until` integer NOT NULL,
	`snoozed_until` integer,
	`last_notified_at` integer,
	`last_checked_at` integer,
	`last_value` real,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_subscription_id_unique` ON `alerts` (`subscription_id`);--> statement-breakpoint
ALTER TABLE `subscription_deliveries` ADD `verdict` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `checks` text;