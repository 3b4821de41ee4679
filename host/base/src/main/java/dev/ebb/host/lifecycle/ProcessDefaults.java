package dev.ebb.host.lifecycle;

import java.util.Locale;
import java.util.TimeZone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locale and the time zone of the process, which any plugin can change for all others. Numbers
 * in replies, metrics and the log depend on the locale: that of Egypt has other digits.
 */
public final class ProcessDefaults {

  private static final Locale LOCALE = Locale.ROOT;

  /** Not static: setting up the log takes longer than a short command, which needs none. */
  private final Logger log = LoggerFactory.getLogger(ProcessDefaults.class);

  private final TimeZone zone = TimeZone.getDefault();

  public static void setLocale() {
    Locale.setDefault(LOCALE);
  }

  /** Restores the defaults, and logs a change. */
  public void restore() {
    for (Locale.Category category : Locale.Category.values()) {
      Locale changed = Locale.getDefault(category);
      if (!changed.equals(LOCALE)) {
        setLocale();
        log.warn("a plugin changed the default locale to '{}'; it was restored", changed);
      }
    }
    TimeZone changed = TimeZone.getDefault();
    if (!changed.equals(zone)) {
      TimeZone.setDefault(zone);
      log.warn("a plugin changed the default time zone to '{}'; it was restored", changed.getID());
    }
  }
}
