package dev.ebb.host.admin;

import dev.ebb.host.plugin.PluginReport;
import dev.ebb.spi.SpiVersion;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Plugins as one JSON object. */
public final class PluginJson {

  private PluginJson() {}

  /**
   * Writes the reports.
   *
   * @param folder the drop-in folder
   */
  public static String of(Path folder, List<PluginReport> reports) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("folder", folder.toString());
      json.writeStringProperty("spi", SpiVersion.current());
      json.writeArrayPropertyStart("plugins");
      reports.forEach(report -> write(json, report));
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, PluginReport report) {
    json.writeStartObject();
    json.writeStringProperty("file", report.file().toString());
    json.writeStringProperty("id", report.id());
    json.writeStringProperty("version", report.version());
    json.writeStringProperty("sha256", report.sha256());
    json.writeStringProperty("state", report.state().name().toLowerCase(Locale.ROOT));
    json.writeObjectPropertyStart("strategies");
    new TreeMap<>(report.strategies()).forEach((kind, names) -> writeNames(json, kind, names));
    json.writeEndObject();
    json.writeStringProperty("reason", report.reason());
    json.writeEndObject();
  }

  private static void writeNames(JsonGenerator json, String kind, List<String> names) {
    json.writeArrayPropertyStart(kind);
    names.forEach(json::writeString);
    json.writeEndArray();
  }
}
