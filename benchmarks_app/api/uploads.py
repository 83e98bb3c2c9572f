"""How an upload stands, for its sender."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from benchmarks_app.api import schemas
from benchmarks_app.api.permissions import MayFollowUpload
from benchmarks_app.models import Upload
from benchmarks_app.queries.uploads import files_of, upload_of, upload_plain
from benchmarks_app.services.importing import runs_of_upload
from matrix.api.base import Endpoint
from matrix.api.errors import NoSuchThing
from matrix.domain.phrases import Phrase


class UploadOne(Endpoint):
    """One upload: its state, its files, its runs."""

    permission_classes = [MayFollowUpload]

    @extend_schema(operation_id="benchmark_uploads_retrieve", responses=schemas.BenchmarkUpload)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """The upload, for those who sent it and for curators. **Queries**: 8."""
        upload = upload_of(request.user, uid)
        if upload is None:
            raise NoSuchThing(what=Phrase("upload of yours"), value=uid)
        plain = upload_answer(upload)
        response = self.answer(request, lambda: plain, depends_on=[repr(plain)])
        response["Cache-Control"] = "private, no-cache"
        if not plain["done"]:
            response["Retry-After"] = "1"
        return response


def upload_answer(upload: Upload) -> dict[str, Any]:
    """The upload as plain data with its addresses."""
    plain = upload_plain(upload, files_of(upload), runs_of_upload(upload))
    plain["links"] = {
        "status": reverse("api-benchmark-upload", args=[upload.uid]),
        "page": reverse("benchmark-upload", args=[upload.uid]),
    }
    return plain
