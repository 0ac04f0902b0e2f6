/** Event properties that say where a visitor is. */
export const PLACE_PROPERTIES = [
  '$geoip_country_code',
  '$geoip_country_name',
  '$geoip_subdivision_1_code',
  '$geoip_subdivision_1_name',
  '$geoip_city_name',
  '$geoip_time_zone'
] as const
