ALTER TABLE `recordings` ADD `skew` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `start_clock` integer;