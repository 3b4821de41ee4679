package dev.ebb.host.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Changes defaults of the process, so nothing else may run meanwhile. */
@Isolated
class ProcessDefaultsTest {

  @Test
  void whatAPluginChangesIsRestored() {
    Locale locale = Locale.getDefault();
    TimeZone zone = TimeZone.getDefault();
    try {
      ProcessDefaults defaults = new ProcessDefaults();
      ProcessDefaults.setLocale();
      Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
      assertThat("%d".formatted(50)).isNotEqualTo("50");

      defaults.restore();

      assertThat("%d".formatted(50)).isEqualTo("50");
      assertThat(Locale.getDefault()).isEqualTo(Locale.ROOT);
      assertThat(TimeZone.getDefault()).isEqualTo(zone);
    } finally {
      Locale.setDefault(locale);
      TimeZone.setDefault(zone);
    }
  }
}
