package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.Preset;
import dev.mainstay.core.settings.Setting;
import org.jspecify.annotations.Nullable;

/** How calls to one model are carried out. */
public record ModelRecovery(
    @Setting("A named set of the values below. You can also set each value by itself.")
        @Nullable Preset preset,
    @Setting(value = "The values themselves.", inline = true) CallSettings calls) {

  ModelRecovery withPreset(Preset value) {
    return new ModelRecovery(value, calls.withPolicy(value.applyTo(calls.policy())));
  }
}
