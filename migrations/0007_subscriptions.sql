CREATE TABLE `idempotency_keys` (
	`project_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`hash` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `subscription_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`subscription_id` integer NOT NULL,
	`kind` text NOT NULL,
	`occurrence` integer NOT NULL,
	`missed` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`recipients` text DEFAULT '[]' NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscription_deliveries_occurrence` ON `subscription_deliveries` (`subscription_id`,`kind`,`occurrence`);--> statement-breakpoint
CREATE INDEX `subscription_deliveries_due` ON `subscription_deliveries` (`due_at`) WHERE "subscription_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`dashboard_id` integer,
	`insight_id` integer,
	`target_type` text NOT NULL,
	`target_value` text NOT NULL,
	`frequency` text NOT NULL,
	`interval` integer NOT NULL,
	`byweekday` text,
	`bysetpos` integer,
	`count` integer,
	`start_date` integer NOT NULL,
	`until_date` integer,
	`timezone` text NOT NULL,
	`title` text,
	`invite_message` text,
	`deleted` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`next_delivery_date` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`paused_reason` text,
	`secret` text NOT NULL,
	`origin` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `subscriptions_project` ON `subscriptions` (`project_id`,`deleted`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_due` ON `subscriptions` (`next_delivery_date`) WHERE "subscriptions"."next_delivery_date" is not null;