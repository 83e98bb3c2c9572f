"""AWS Neuron: the SDK's announcements and release content, NxD Inference, the vLLM plug-in."""

from ingest.contract import PageRule, Source
from ingest.sources.aws_neuron import announcements, content, nxd, plugin, recipes

__all__ = ["PLUGIN_SOURCE", "README_SOURCE", "SOURCE"]

_NXD = r"libraries/nxd-inference/developer_guides/"
_PLUGIN = r"vllm-neuron/docs/"
_OVERVIEW = r"libraries/vllm-neuron/neuron-inference-overview\.rst"

SOURCE = Source(
    name="aws-neuron-docs",
    framework="aws-neuron-sdk",
    title="AWS Neuron SDK documentation",
    folder="aws-neuron",
    rules=(
        PageRule(
            "announcements",
            (r"about-neuron/announcements/neuron2\.x/[\w.-]+\.rst",),
            announcements.read_announcement,
        ),
        PageRule("content", (r"release-notes/releasecontent\.rst",), content.read_content),
        PageRule(
            "plugin-version",
            (r"release-notes/components/vllm-neuron\.rst",),
            content.read_component,
        ),
        PageRule(
            "data-types",
            (r"about-neuron/arch/neuron-features/data-types\.rst",),
            content.read_data_types,
        ),
        PageRule("nxd-models", (_NXD + r"model-reference\.rst",), nxd.read_models),
        PageRule("nxd-features", (_NXD + r"feature-guide\.rst",), nxd.read_features),
        PageRule("nxd-vllm-guide", (_NXD + r"vllm-user-guide-v1\.rst",), plugin.read_user_guide),
        PageRule("nxd-overview", (_OVERVIEW,), plugin.read_overview),
    ),
)

# The line of the plug-in that needs no NxD Inference is another implementation with other limits,
# so what the earlier line runs says nothing of it.
PLUGIN_SOURCE = Source(
    name="vllm-neuron-docs",
    framework="vllm-neuron-native",
    title="vLLM Neuron without NxD Inference, in the documentation of the AWS Neuron SDK",
    folder="aws-neuron",
    rules=(
        PageRule(
            "recipes", (_PLUGIN + r"model-recipes/(?!index)[\w.-]+\.md",), recipes.read_recipe
        ),
        PageRule("tasks", (_PLUGIN + r"design/vllm/pooling-models\.md",), recipes.read_tasks),
        PageRule("overview", (_OVERVIEW,), plugin.read_native_overview),
    ),
)

README_SOURCE = Source(
    name="vllm-neuron-readme",
    framework="vllm-neuron",
    title="vLLM Neuron README",
    rules=(PageRule("readme", (r"README\.md",), plugin.read_readme),),
)
