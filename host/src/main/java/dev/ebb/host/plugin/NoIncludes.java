package dev.ebb.host.plugin;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import java.io.File;
import java.net.URL;

/** Lets the HOCON of a JAR include nothing: that would be fetched before the JAR is judged. */
final class NoIncludes
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

  private static ConfigException refusal(String what) {
    return new ConfigException.Generic(
        "%s: it includes '%s', and may include nothing; write what is there into it"
            .formatted(JarContent.DEFAULTS, what));
  }
}
