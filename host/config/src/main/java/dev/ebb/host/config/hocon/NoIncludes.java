package dev.ebb.host.config.hocon;

import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import dev.ebb.host.errors.UserError;
import java.io.File;
import java.net.URL;

/**
 * Refuses every include, before anything is read or fetched.
 *
 * @param where the option, property or file of the text, for messages
 */
record NoIncludes(String where)
    implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {

  @Override
  public ConfigIncluder withFallback(ConfigIncluder fallback) {
    return this;
  }

  @Override
  public ConfigObject include(ConfigIncludeContext context, String what) {
    throw refusal(what);
  }

  @Override
  public ConfigObject includeFile(ConfigIncludeContext context, File what) {
    throw refusal(what.toString());
  }

  @Override
  public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
    throw refusal(what.toString());
  }

  @Override
  public ConfigObject includeResources(ConfigIncludeContext context, String what) {
    throw refusal(what);
  }

  private UserError refusal(String what) {
    return new UserError(
        "%s: it includes '%s', but includes are not allowed here; copy the content instead"
            .formatted(where, UntrustedHocon.brief(what)));
  }
}
