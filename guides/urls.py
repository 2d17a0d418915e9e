"""The pages of docs. Texts first: their addresses end like no page's."""

from django.urls import path

from guides.views import guide_page, guide_text, index_page, picture, search_page, site_map, verify_file

urlpatterns = [
    path("", index_page, name="guides"),
    path("search", search_page, name="guides-search"),
    path("sitemap.xml", site_map, name="guides-sitemap"),
    path("images/<str:name>", picture, name="guides-picture"),
    path("verify.html", verify_file, name="guides-verify"),
    path("<path:slug>.md", guide_text, name="guide-text"),
    path("<path:slug>", guide_page, name="guide"),
]
