CREATE TABLE `deletion_runs` (
	`scheduled_for` integer PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`started_by` text NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `erased_identities` (
	`key` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`hash` text NOT NULL,
	`receipt_hash` text,
	`erasure_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`erased_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erased_identities_hash` ON `erased_identities` (`project_id`,`hash`);--> statement-breakpoint
CREATE INDEX `erased_identities_erasure` ON `erased_identities` (`erasure_id`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`person_uuid` text NOT NULL,
	`requested_at` integer NOT NULL,
	`requested_by` text NOT NULL,
	`delete_events` integer NOT NULL,
	`delete_recordings` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`run` integer,
	`cleared_at` integer,
	`found` integer,
	`removed` integer DEFAULT 0 NOT NULL,
	`dropped` integer DEFAULT 0 NOT NULL,
	`stores` text DEFAULT '{}' NOT NULL,
	`mentions` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error` text,
	`progress_at` integer NOT NULL,
	`receipt` text,
	`linked_until` integer,
	`completes` integer
);
--> statement-breakpoint
CREATE INDEX `erasures_project` ON `erasures` (`project_id`);--> statement-breakpoint
CREATE INDEX `erasures_person` ON `erasures` (`project_id`,`person_uuid`);--> statement-breakpoint
CREATE INDEX `erasures_open` ON `erasures` (`status`) WHERE status <> 'completed';--> statement-breakpoint
CREATE INDEX `erasures_linked` ON `erasures` (`linked_until`) WHERE linked_until is not null;--> statement-breakpoint
CREATE TABLE `event_counts` (
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`slot` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `event_id`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
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
CREATE INDEX `insights_project` ON `insights` (`project_id`,`deleted`,`id`);--> statement-breakpoint
CREATE TABLE `ledger_head` (
	`id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`beat` integer DEFAULT 0 NOT NULL,
	`secret` text,
	`secret_since` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `counters` (
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`project_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `guard` (
	`ok` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sequences` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `activity` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`uuid` text NOT NULL,
	`scope` text NOT NULL,
	`item_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`activity` text NOT NULL,
	`actor` text,
	`detail` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `activity_scope` ON `activity` (`project_id`,`scope`);--> statement-breakpoint
CREATE INDEX `activity_owner` ON `activity` (`project_id`,`scope`,`owner_id`);--> statement-breakpoint
CREATE TABLE `distinct_ids` (
	`key` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`distinct_id` text NOT NULL,
	`person_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `distinct_ids_distinct_id` ON `distinct_ids` (`project_id`,`distinct_id`);--> statement-breakpoint
CREATE INDEX `distinct_ids_person` ON `distinct_ids` (`person_id`,`key`,`distinct_id`) WHERE "distinct_ids"."person_id" is not null;--> statement-breakpoint
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
	`copy_credit` integer NOT NULL,
	`is_version_stale` integer DEFAULT false NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `persons_uuid` ON `persons` (`project_id`,`uuid`);--> statement-breakpoint
CREATE INDEX `persons_newest` ON `persons` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `persons_email` ON `persons` (`project_id`,`email`) WHERE email is not null;--> statement-breakpoint
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
CREATE TABLE `cron_runs` (
	`cron` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`failed_jobs` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`object` text NOT NULL,
	`project_id` integer,
	`error` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`redriven_at` integer,
	`is_unreadable` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`owner_id` integer NOT NULL,
	`capture_token` text NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`week_start` integer DEFAULT 0 NOT NULL,
	`test_account_filters` text DEFAULT '[]' NOT NULL,
	`settings` text DEFAULT '{}' NOT NULL,
	`recording_retention_days` integer,
	`database` text DEFAULT 'DB' NOT NULL,
	`erasure_salt` text DEFAULT '' NOT NULL,
	`held` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_capture_token_unique` ON `projects` (`capture_token`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
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
CREATE TABLE `event_removals` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`filters` text,
	`properties` text,
	`events` integer NOT NULL,
	`digest` text NOT NULL,
	`requested_at` integer NOT NULL,
	`requested_by` text NOT NULL,
	`due_at` integer NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`stores` text DEFAULT '{}' NOT NULL,
	`error` text,
	`progress_at` integer NOT NULL,
	`completed_at` integer,
	`receipt` text
);
--> statement-breakpoint
CREATE INDEX `event_removals_project` ON `event_removals` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `event_removals_open` ON `event_removals` (`due_at`) WHERE completed_at is null;--> statement-breakpoint
CREATE TABLE `removed_events` (
	`project_id` integer NOT NULL,
	`uuid` blob NOT NULL,
	PRIMARY KEY(`project_id`, `uuid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `actor_chunks` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`build` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`project_id`, `chunk`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `late_events` (
	`segment_id` integer NOT NULL,
	`timestamp` integer NOT NULL,
	`uuid` blob NOT NULL,
	PRIMARY KEY(`segment_id`, `timestamp`, `uuid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `moved_identities` (
	`project_id` integer NOT NULL,
	`key` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `segment_columns` (
	`segment_id` integer NOT NULL,
	`name` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`segment_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `segments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`is_sealed` integer NOT NULL,
	`started_at` integer NOT NULL,
	`build` text NOT NULL,
	`count` integer NOT NULL,
	`slots` text NOT NULL,
	`cold` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `segments_range` ON `segments` (`project_id`,`event_id`,`since`);--> statement-breakpoint
CREATE TABLE `version_chunks` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`build` text NOT NULL,
	`is_built` integer NOT NULL,
	`count` integer NOT NULL,
	`versions` text NOT NULL,
	`cold` text,
	PRIMARY KEY(`project_id`, `chunk`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `version_columns` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`name` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`project_id`, `chunk`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
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
CREATE TABLE `shares` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`object_id` integer NOT NULL,
	`access_token` text NOT NULL,
	`shared_hash` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `object_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shares_hash` ON `shares` (`shared_hash`) WHERE "shares"."shared_hash" is not null;--> statement-breakpoint
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
CREATE INDEX `subscriptions_due` ON `subscriptions` (`next_delivery_date`) WHERE "subscriptions"."next_delivery_date" is not null;--> statement-breakpoint
CREATE TABLE `suppressed_ids` (
	`project_id` integer NOT NULL,
	`hash` text NOT NULL,
	`suppression_id` text NOT NULL,
	`receipt_hash` text,
	`since` integer NOT NULL,
	PRIMARY KEY(`project_id`, `hash`, `suppression_id`)
);
--> statement-breakpoint
CREATE INDEX `suppressed_ids_suppression` ON `suppressed_ids` (`suppression_id`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`person_uuid` text,
	`person_id` integer,
	`is_identified` integer NOT NULL,
	`since` integer NOT NULL,
	`requested_by` text NOT NULL,
	`lifted_at` integer,
	`lifted_by` text,
	`events` integer DEFAULT 0 NOT NULL,
	`recording_parts` integer DEFAULT 0 NOT NULL,
	`last_dropped_at` integer
);
--> statement-breakpoint
CREATE INDEX `suppressions_project` ON `suppressions` (`project_id`,`id`);
--> statement-breakpoint
-- Substring search over `persons.search`. It is lower-case already, so the index keeps case; 'secure-delete' makes a
-- removed person's trigrams leave the shadow tables at once instead of at the next merge. The project is the upper half
-- of the rowid, so that a search steps through its own project's matches only.
CREATE VIRTUAL TABLE `persons_search` USING fts5(`search`, tokenize = 'trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO `persons_search`(`persons_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `persons_search_insert` AFTER INSERT ON `persons` WHEN new.`search` <> ''
BEGIN
  INSERT INTO `persons_search`(`rowid`, `search`) VALUES (new.`project_id` << 32 | new.`id`, new.`search`);
END;
--> statement-breakpoint
CREATE TRIGGER `persons_search_update` AFTER UPDATE OF `search` ON `persons` WHEN old.`search` <> new.`search`
BEGIN
  DELETE FROM `persons_search` WHERE `rowid` = old.`project_id` << 32 | old.`id` AND old.`search` <> '';
  INSERT INTO `persons_search`(`rowid`, `search`) SELECT new.`project_id` << 32 | new.`id`, new.`search` WHERE new.`search` <> '';
END;
--> statement-breakpoint
CREATE TRIGGER `persons_search_delete` AFTER DELETE ON `persons` WHEN old.`search` <> ''
BEGIN
  DELETE FROM `persons_search` WHERE `rowid` = old.`project_id` << 32 | old.`id`;
END;
--> statement-breakpoint
-- An event that is stored after the segment of its range, and is not in it.
CREATE TRIGGER `events_insert` AFTER INSERT ON `events`
BEGIN
  INSERT INTO `late_events` (`segment_id`, `timestamp`, `uuid`)
  SELECT `id`, new.`timestamp`, new.`uuid` FROM `segments`
  WHERE `id` = (
    SELECT `id` FROM `segments`
    WHERE `project_id` = new.`project_id` AND `event_id` = new.`event_id` AND `since` <= new.`timestamp`
    ORDER BY `since` DESC LIMIT 1
  ) AND `until` > new.`timestamp`;
END;
--> statement-breakpoint
-- A segment that has a removed event goes with it.
CREATE TRIGGER `events_delete` AFTER DELETE ON `events`
BEGIN
  DELETE FROM `segments`
  WHERE `id` = (
    SELECT `id` FROM `segments`
    WHERE `project_id` = old.`project_id` AND `event_id` = old.`event_id` AND `since` <= old.`timestamp`
    ORDER BY `since` DESC LIMIT 1
  ) AND `until` > old.`timestamp`;
END;
--> statement-breakpoint
-- Events never change. Should one be changed by hand, the segments of its old and of its new place go.
CREATE TRIGGER `events_update` AFTER UPDATE ON `events`
BEGIN
  DELETE FROM `segments`
  WHERE (`project_id` = old.`project_id` AND `event_id` = old.`event_id` AND `since` <= old.`timestamp` AND `until` > old.`timestamp`)
    OR (`project_id` = new.`project_id` AND `event_id` = new.`event_id` AND `since` <= new.`timestamp` AND `until` > new.`timestamp`);
END;
--> statement-breakpoint
CREATE TRIGGER `segments_delete` AFTER DELETE ON `segments`
BEGIN
  DELETE FROM `segment_columns` WHERE `segment_id` = old.`id`;
  DELETE FROM `late_events` WHERE `segment_id` = old.`id`;
END;
--> statement-breakpoint
-- Identities whose person changes after their chunk has been built.
CREATE TRIGGER `distinct_ids_update` AFTER UPDATE OF `person_id` ON `distinct_ids` WHEN old.`person_id` IS NOT new.`person_id`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, new.`key` FROM `actor_chunks` WHERE `project_id` = new.`project_id` AND `chunk` = new.`key` >> 12;
END;
--> statement-breakpoint
CREATE TRIGGER `distinct_ids_delete` AFTER DELETE ON `distinct_ids`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, old.`key` FROM `actor_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`key` >> 12;
END;
--> statement-breakpoint
-- A chunk that has a removed version goes with it.
CREATE TRIGGER `person_versions_delete` AFTER DELETE ON `person_versions`
BEGIN
  DELETE FROM `version_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`id` >> 36;
END;
--> statement-breakpoint
-- Versions never change. Should one be changed by hand, its chunk goes.
CREATE TRIGGER `person_versions_update` AFTER UPDATE ON `person_versions`
BEGIN
  DELETE FROM `version_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`id` >> 36;
END;
--> statement-breakpoint
CREATE TRIGGER `version_chunks_delete` AFTER DELETE ON `version_chunks`
BEGIN
  DELETE FROM `version_columns` WHERE `project_id` = old.`project_id` AND `chunk` = old.`chunk`;
END;
--> statement-breakpoint
-- Kept events get another actor when their link to the erased person is removed.
CREATE TRIGGER `erased_identities_update` AFTER UPDATE OF `person_id` ON `erased_identities` WHEN old.`person_id` IS NOT new.`person_id`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, new.`key` FROM `actor_chunks` WHERE `project_id` = new.`project_id` AND `chunk` = new.`key` >> 12;
END;
